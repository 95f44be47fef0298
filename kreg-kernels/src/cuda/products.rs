//! How a matrix product multiplies.

/// How the products of a matrix row and `x` are formed. Rows with precision `profile_selected` leave it to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Products {
    /// Weights are decoded to f32 and multiplied by `x` as given.
    F32,
    /// `x` is rounded to 8 bits with one f32 scale per 32 values, and multiplied four products at a time (`dp4a`).
    Dp4a,
}

impl Products {
    /// What is fastest on a device of this compute capability: integers from 7.5 on.
    pub const fn of_capability(major: i32, minor: i32) -> Self {
        if major > 7 || (major == 7 && minor >= 5) { Self::Dp4a } else { Self::F32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_from_turing_on() {
        for (major, minor, products) in
            [(7, 0, Products::F32), (7, 5, Products::Dp4a), (8, 0, Products::Dp4a), (12, 0, Products::Dp4a)]
        {
            assert_eq!(Products::of_capability(major, minor), products, "{major}.{minor}");
        }
    }
}
